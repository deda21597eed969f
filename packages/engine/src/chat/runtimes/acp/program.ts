import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Finds a program on the PATH like a shell would; null if there is none. */
export function programIn(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd = '.',
): string | null {
  if (program === '') return null
  if (/[/\\]/.test(program)) {
    const file = resolve(cwd, program)
    return isProgram(file) ? file : null
  }
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : ['']
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue
    for (const ending of endings) {
      const file = join(folder, program + ending)
      if (isProgram(file)) return file
    }
  }
  return null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
