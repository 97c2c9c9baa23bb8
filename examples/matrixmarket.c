#include "matrixmarket.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

enum {
  LINE_LENGTH = 1024 /* the format's limit */
};

static const char kMark[] = "%%MatrixMarket";

/* A file, line by line */
typedef struct {
  gzFile      stream;
  const char *name;
  long long   line;                  /* number of the line in `text`, from 1 */
  char        text[LINE_LENGTH + 2]; /* with its line feed */
  char        error[512];            /* what is wrong, a sentence; empty as long as nothing is */
} Reader;

typedef enum { GENERAL, SYMMETRIC, SKEW_SYMMETRIC, HERMITIAN } Symmetry;

/* A whole matrix, on the process that has read it */
typedef struct {
  PetscInt     rows, cols;
  PetscBool    array; /* all entries, column by column, without row and column */
  Symmetry     symmetry;
  int          numbers;  /* how many stand in a line after row and column: 0 (pattern), 1 or 2 (complex) */
  PetscCount   count;    /* of the entries below, mirror images included */
  PetscCount   capacity; /* of the arrays below */
  PetscInt    *row, *col;
  PetscScalar *value;
} Entries;

/* Keeps the first thing that goes wrong */
static void Complain(Reader *r, const char format[], ...)
{
  va_list arguments;
  char    what[384];

  if (r->error[0]) return;
  va_start(arguments, format);
  vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  snprintf(r->error, sizeof(r->error), "%.100s, line %lld: %s", r->name, r->line, what);
}

/* The next line, whatever it is; false at the end of the file and if something is wrong */
static PetscBool NextLine(Reader *r)
{
  int         code = Z_OK;
  const char *what;

  if (r->error[0]) return PETSC_FALSE;
  if (gzgets(r->stream, r->text, sizeof(r->text))) {
    r->line++;
    if (!strchr(r->text, '\n') && !gzeof(r->stream)) {
      Complain(r, "The line is longer than the %d characters that the format allows, or this is no text file.", LINE_LENGTH);
      return PETSC_FALSE;
    }
    return PETSC_TRUE;
  }
  what = gzerror(r->stream, &code);
  if (code == Z_ERRNO) Complain(r, "Reading fails after this line: %s.", strerror(errno));
  else if (code == Z_BUF_ERROR) Complain(r, "The compressed file ends too soon after this line; is it only a part of the original?");
  else if (code != Z_OK && code != Z_STREAM_END) Complain(r, "The compressed file is damaged after this line: %s.", what);
  return PETSC_FALSE;
}

/* The next line that is neither blank nor a comment */
static PetscBool NextContent(Reader *r)
{
  while (NextLine(r)) {
    const char first = r->text[strspn(r->text, " \t\r\n")];

    if (first && first != '%') return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Reads a whole number from min to max at *at and moves on */
static PetscBool ParseInteger(Reader *r, char **at, const char what[], long long min, long long max, long long *value)
{
  char *end;

  errno  = 0;
  *value = strtoll(*at, &end, 10);
  if (end == *at || (*end && !isspace((unsigned char)*end)) || errno || *value < min || *value > max) {
    Complain(r, "The %s should be a whole number from %lld to %lld.", what, min, max);
    return PETSC_FALSE;
  }
  *at = end;
  return PETSC_TRUE;
}

/* Reads a decimal number at *at, perhaps with Fortran's exponent (1.0D+00), and moves on */
static PetscBool ParseReal(Reader *r, char **at, double *value)
{
  char *const begin = *at + strspn(*at, " \t\r\n"), *const last = begin + strcspn(begin, " \t\r\n");
  char *end = begin;

  if (begin < last && begin + strspn(begin, "0123456789+-.eEdD") == last) { /* strtod would also read hexadecimal numbers, nan and inf */
    for (char *c = begin; c < last; c++) {
      if (*c == 'd' || *c == 'D') *c = 'e';
    }
    *value = strtod(begin, &end);
  }
  if (end == begin || end != last || !isfinite(*value)) {
    Complain(r, "There should be a finite number where the line goes on with '%.20s'.", begin);
    return PETSC_FALSE;
  }
  *at = end;
  return PETSC_TRUE;
}

static PetscBool ParseEnd(Reader *r, const char at[])
{
  const char *rest = at + strspn(at, " \t\r\n");

  if (*rest) Complain(r, "The line should end before '%.20s'.", rest);
  return *rest ? PETSC_FALSE : PETSC_TRUE;
}

/* "%%MatrixMarket matrix coordinate real general", in upper or lower case */
static void ReadBanner(Reader *r, Entries *a)
{
  const char *symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"}; /* as in Symmetry */
  char        mark[32], object[32], layout[32], field[32], symmetry[32];

  if (!NextLine(r) || sscanf(r->text, "%31s %31s %31s %31s %31s", mark, object, layout, field, symmetry) != 5 ||
      strcasecmp(mark, kMark) != 0) {
    Complain(r, "A Matrix Market file begins with '%s matrix <layout> <field> <symmetry>', but this one does not.", kMark);
    return;
  }
  for (char *words[] = {object, layout, field, symmetry}, **word = words; word < words + 4; word++) {
    for (char *c = *word; *c; c++) *c = (char)tolower((unsigned char)*c);
  }
  a->array = strcmp(layout, "array") ? PETSC_FALSE : PETSC_TRUE;
  if (strcmp(object, "matrix") != 0 || (!a->array && strcmp(layout, "coordinate") != 0))
    Complain(r, "Only 'matrix coordinate' and 'matrix array' files can be read, but this is '%s %s'.", object, layout);
  if (!strcmp(field, "pattern") && !a->array) a->numbers = 0;
  else if (!strcmp(field, "real") || !strcmp(field, "double") || !strcmp(field, "integer")) a->numbers = 1;
  else if (!strcmp(field, "complex")) a->numbers = 2;
  else Complain(r, "The field is '%s', but has to be real, integer, complex or, without an array, pattern.", field);
  if (a->numbers == 2 && !PetscDefined(USE_COMPLEX))
    Complain(r, "The matrix is complex, but this PETSc has real scalars; use one that was configured with --with-scalar-type=complex.");
  for (a->symmetry = GENERAL; a->symmetry <= HERMITIAN; a->symmetry++) {
    if (!strcmp(symmetry, symmetries[a->symmetry])) return;
  }
  Complain(r, "The symmetry is '%s', but has to be general, symmetric, skew-symmetric or hermitian.", symmetry);
}

/* "rows columns entries", or "rows columns" of an array */
static void ReadSizes(Reader *r, Entries *a, long long *entries)
{
  const long long largest = sizeof(PetscInt) == 4 ? INT_MAX : LLONG_MAX;
  long long       rows, cols;
  char           *at = r->text;

  if (!NextContent(r)) {
    Complain(r, "The file ends before the line with the numbers of rows%s.", a->array ? " and columns" : ", columns and entries");
    return;
  }
  if (!ParseInteger(r, &at, "number of rows", 0, largest, &rows) || !ParseInteger(r, &at, "number of columns", 0, largest, &cols)) return;
  if (!a->array && !ParseInteger(r, &at, "number of entries", 0, LLONG_MAX, entries)) return;
  if (!ParseEnd(r, at)) return;
  if (a->symmetry != GENERAL && rows != cols)
    Complain(r, "A symmetric matrix is square, but this one has %lld rows and %lld columns.", rows, cols);
  a->rows = (PetscInt)rows;
  a->cols = (PetscInt)cols;
  if (!a->array) return;
  if (a->rows > 0 && a->cols > LLONG_MAX / a->rows) Complain(r, "Nobody can count so many entries.");
  else *entries = a->symmetry == GENERAL ? rows * cols : a->symmetry == SKEW_SYMMETRIC ? rows * (rows - 1) / 2 : rows * (rows + 1) / 2;
}

static PetscErrorCode FreeEntries(Entries *a)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(a->row));
  PetscCall(PetscFree(a->col));
  PetscCall(PetscFree(a->value));
  PetscFunctionReturn(0);
}

static PetscErrorCode Append(Entries *a, PetscInt row, PetscInt col, PetscScalar value)
{
  PetscFunctionBegin;
  if (a->count == a->capacity) { /* not at once what the file promises: it may promise anything */
    a->capacity = a->capacity ? 2 * a->capacity : 4096;
    PetscCall(PetscRealloc((size_t)a->capacity * sizeof(*a->row), &a->row));
    PetscCall(PetscRealloc((size_t)a->capacity * sizeof(*a->col), &a->col));
    PetscCall(PetscRealloc((size_t)a->capacity * sizeof(*a->value), &a->value));
  }
  a->row[a->count]     = row;
  a->col[a->count]     = col;
  a->value[a->count++] = value;
  PetscFunctionReturn(0);
}

/* "row column [number [number]]", or the numbers alone of an array, whose next entry is at *row and *col */
static PetscErrorCode ReadEntry(Reader *r, Entries *a, long long *next_row, long long *next_col)
{
  char       *at        = r->text;
  double      number[2] = {1, 0};
  long long   row, col;
  PetscScalar value;

  PetscFunctionBegin;
  if (a->array) {
    while (*next_row > a->rows) {
      (*next_col)++;
      *next_row = a->symmetry == GENERAL ? 1 : *next_col + (a->symmetry == SKEW_SYMMETRIC);
    }
    row = (*next_row)++;
    col = *next_col;
  } else if (!ParseInteger(r, &at, "row", 1, a->rows, &row) || !ParseInteger(r, &at, "column", 1, a->cols, &col)) PetscFunctionReturn(0);
  for (int i = 0; i < a->numbers; i++) {
    if (!ParseReal(r, &at, &number[i])) PetscFunctionReturn(0);
  }
  if (!ParseEnd(r, at)) PetscFunctionReturn(0);
#if defined(PETSC_USE_COMPLEX)
  value = PetscCMPLX(number[0], number[1]);
#else
  value = number[0];
#endif
  PetscCall(Append(a, (PetscInt)row - 1, (PetscInt)col - 1, value));
  if (a->symmetry == GENERAL) PetscFunctionReturn(0);
  if (row < col)
    Complain(r, "Of a symmetric matrix only the lower triangle belongs into the file, but this entry lies above the diagonal.");
  if (row == col && a->symmetry == SKEW_SYMMETRIC)
    Complain(r, "A skew-symmetric matrix has nothing on its diagonal, but this entry lies there.");
  if (row <= col) PetscFunctionReturn(0);
  if (a->symmetry == SKEW_SYMMETRIC) value = -value;
  if (a->symmetry == HERMITIAN) value = PetscConj(value);
  PetscCall(Append(a, (PetscInt)col - 1, (PetscInt)row - 1, value));
  PetscFunctionReturn(0);
}

/* On the first process only: the whole file, or r->error */
static PetscErrorCode ReadFile(Reader *r, Entries *a)
{
  long long entries = 0, seen = 0, row, col = 1;

  PetscFunctionBegin;
  ReadBanner(r, a);
  ReadSizes(r, a, &entries);
  row = a->symmetry == SKEW_SYMMETRIC ? 2 : 1;
  while (!r->error[0] && seen < entries && NextContent(r)) {
    PetscCall(ReadEntry(r, a, &row, &col));
    seen++;
  }
  if (seen < entries) Complain(r, "The file ends here, after %lld of the %lld entries that it promises.", seen, entries);
  if (NextContent(r)) Complain(r, "There is more in the file than the %lld entries that it promises.", entries);
  PetscFunctionReturn(0);
}

PetscErrorCode MatrixMarketTest(MPI_Comm comm, const char file[], PetscBool *yes)
{
  PetscMPIInt rank, found[2] = {0, 0}; /* a text, and a file that can be read only once */
  struct stat status;
  gzFile      stream;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) found[1] = !stat(file, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  if (rank == 0 && !found[1] && (stream = gzopen(file, "rb"))) {
    const int first = gzgetc(stream); /* -1 if there is none */

    found[0] = isprint(first) || isspace(first);
    gzclose(stream);
  }
  PetscCallMPI(MPI_Bcast(found, 2, MPI_INT, 0, comm));
  PetscCheck(!found[1], comm, PETSC_ERR_FILE_OPEN,
             "%s is a pipe or a device, but what it gives has to be read more than once: write it to a file first.", file);
  *yes = found[0] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode MatrixMarketLoad(Mat A, const char file[])
{
  Reader      reader  = {.name = file};
  Entries     entries = {0};
  PetscInt    sizes[3], rows, cols;
  PetscMPIInt rank, unreadable = 0;
  MPI_Comm    comm;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    reader.stream = gzopen(file, "rb");
    unreadable    = reader.stream ? 0 : errno ? errno : ENOMEM;
    if (reader.stream) {
      PetscCall(ReadFile(&reader, &entries));
      gzclose(reader.stream);
      if (reader.error[0]) PetscCall(FreeEntries(&entries));
    }
  }
  PetscCallMPI(MPI_Bcast(&unreadable, 1, MPI_INT, 0, comm));
  PetscCheck(!unreadable, comm, PETSC_ERR_FILE_OPEN, "%s cannot be opened: %s", file, strerror(unreadable));
  PetscCallMPI(MPI_Bcast(reader.error, sizeof(reader.error), MPI_CHAR, 0, comm));
  PetscCheck(!reader.error[0], comm, PETSC_ERR_FILE_UNEXPECTED, "%s", reader.error);

  sizes[0] = entries.rows;
  sizes[1] = entries.cols;
  sizes[2] = (PetscInt)entries.symmetry;
  PetscCallMPI(MPI_Bcast(sizes, 3, MPIU_INT, 0, comm));
  PetscCall(MatGetSize(A, &rows, &cols));
  if (rows < 0 && cols < 0) {
    PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, sizes[0], sizes[1]));
  } else if (rows != sizes[0] || cols != sizes[1]) {
    PetscCall(FreeEntries(&entries));
    SETERRQ(comm, PETSC_ERR_ARG_SIZ,
            "%s has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns, but the matrix to fill has %" PetscInt_FMT " and %" PetscInt_FMT,
            file, sizes[0], sizes[1], rows, cols);
  }
  PetscCall(MatSetPreallocationCOO(A, entries.count, entries.row, entries.col));
  PetscCall(MatSetValuesCOO(A, entries.value, INSERT_VALUES));
  if (sizes[2] == SYMMETRIC) PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  if (sizes[2] == HERMITIAN) PetscCall(MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE));
  PetscCall(FreeEntries(&entries));
  PetscFunctionReturn(0);
}
