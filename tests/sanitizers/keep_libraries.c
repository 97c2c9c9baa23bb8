/* Preloaded into the tests of ASAN builds: libraries are never unloaded. Open MPI closes its components before the process ends, and
   what they had allocated then counts as lost, in modules that no longer have a name to suppress. */
int dlclose(void *handle)
{
  (void)handle;
  return 0;
}
