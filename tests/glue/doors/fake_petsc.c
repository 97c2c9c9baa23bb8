/* Stands for a second PETSc in the process: it has the function by which one is told from another, and calls back from its own code. */
__attribute__((visibility("default"))) int PetscDLLibraryOpen(void)
{
  return 0;
}

/* An address inside this library, where a call might come from. */
__attribute__((visibility("default"))) const void *AnAddressInside(void)
{
  return (const char *)&AnAddressInside + 1;
}
