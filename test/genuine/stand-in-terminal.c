/*
 * Stands in for a terminal that does not answer the package: notes each launch in launches.txt beside it, and sleeps.
 * With a name in pipe.txt beside it, it opens a pipe of that name, notes a client, and leaves the pipe unread.
 */
#include <windows.h>
#include <stdio.h>

static wchar_t home[MAX_PATH];

static void place(wchar_t *path, const wchar_t *name) { swprintf(path, MAX_PATH, L"%ls\\%ls", home, name); }

static void note(const wchar_t *line) {
  wchar_t path[MAX_PATH];
  place(path, L"launches.txt");
  FILE *file = _wfopen(path, L"ab");
  fprintf(file, "%ls\n", line);
  fclose(file);
}

int wmain(void) {
  wchar_t path[MAX_PATH], name[MAX_PATH] = L"";
  GetModuleFileNameW(NULL, home, MAX_PATH);
  *wcsrchr(home, L'\\') = 0;
  note(GetCommandLineW());
  place(path, L"pipe.txt");
  FILE *file = _wfopen(path, L"r");
  if (file && fgetws(name, MAX_PATH, file)) {
    HANDLE pipe = CreateNamedPipeW(name, PIPE_ACCESS_DUPLEX, PIPE_WAIT, 1, 4096, 4096, 0, NULL);
    if (ConnectNamedPipe(pipe, NULL) || GetLastError() == ERROR_PIPE_CONNECTED) note(L"the pipe has a client");
  }
  Sleep(INFINITE);
  return 0;
}
