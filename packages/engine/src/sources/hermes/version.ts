import { execFile } from 'node:child_process'
import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { readRegularSync } from '@panoptes/engine/home'

type Environment = Readonly<Record<string, string | undefined>>

const PACKAGE = /^hermes_agent-(\d[\w.+!-]*)\.dist-info$/
const VERSION_OUTPUT = /\bv?(\d+\.\d+(?:\.\d+)?)\b/
/** The program may query the network for a newer version. */
const RUN_MS = 10_000
const HEAD_BYTES = 4_096
/** Version 0.19 rejects `outbound` as an unknown event and keeps plugin data in the plugins' own folders. */
const AFTER_0_19 = [0, 20]

/** Cached by program and modification time, because an update changes the latter. */
const versions = new Map<string, Promise<string | null>>()

/**
 * Returns the version of the installed Hermes, or null when none is found. It reads the package metadata and
 * runs the program only when that is a wrapper.
 */
export async function installedHermesVersion(env: Environment): Promise<string | null> {
  for (const program of programsIn(env)) {
    const stamp = `${program}:${statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0}`
    const pending = versions.get(stamp) ?? findVersion(program, env)
    versions.set(stamp, pending)
    const version = await pending
    if (version !== null) return version
    versions.delete(stamp)
  }
  return null
}

/** True when a Hermes of this version sends what `hooks.outbound` asks for. */
export const hermesSendsWebhooks = (version: string): boolean => isAfter019(version)

/** True when the plugins of a Hermes of this version keep their data in `plugin-data`. */
export const hermesKeepsPluginData = (version: string): boolean => isAfter019(version)

function isAfter019(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [sinceMajor = 0, sinceMinor = 0] = AFTER_0_19
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor)
}

/** Reads the version from the package metadata synchronously; null when there is none. */
export function hermesPackageVersion(env: Environment): string | null {
  for (const program of programsIn(env)) {
    const version = versionByMetadata(program)
    if (version !== null) return version
  }
  return null
}

function programsIn(env: Environment): readonly string[] {
  const home = env.HOME || homedir()
  const own = env.HERMES_HOME || join(home, '.hermes')
  const inPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const usual = [
    join(home, '.local', 'bin'),
    join(own, 'hermes-agent', 'venv', 'bin'),
    join(home, '.hermes', 'hermes-agent', 'venv', 'bin'),
  ]
  const names = process.platform === 'win32' ? ['hermes.exe', 'hermes.cmd'] : ['hermes']
  const all = [...inPath, ...usual].flatMap((folder) => names.map((name) => join(folder, name)))
  return [...new Set(all)].filter(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

const findVersion = async (program: string, env: Environment): Promise<string | null> =>
  versionByMetadata(program) ?? versionByCommand(program, env)

function versionByMetadata(program: string): string | null {
  const prefixes = [dirname(dirname(realpathSync(program))), prefixOfInterpreter(program)]
  for (const prefix of prefixes) {
    const found = prefix === null ? null : versionUnder(prefix)
    if (found !== null) return found
  }
  return null
}

/** `#!/home/me/venv/bin/python` names the environment that contains the package. */
function prefixOfInterpreter(program: string): string | null {
  try {
    const head = readRegularSync(program).slice(0, HEAD_BYTES)
    const interpreter = /^#!\s*(\/\S*python[\d.]*)\s/.exec(head)?.[1]
    return interpreter === undefined ? null : dirname(dirname(interpreter))
  } catch {
    return null
  }
}

function versionUnder(prefix: string): string | null {
  const libraries = ['lib', 'lib64', 'Lib'].map((name) => join(prefix, name))
  const pythons = libraries.flatMap((folder) => [
    folder,
    ...namesIn(folder).flatMap((name) => (/^python\d/.test(name) ? [join(folder, name)] : [])),
  ])
  for (const python of pythons)
    for (const packages of ['site-packages', 'dist-packages'])
      for (const name of namesIn(join(python, packages))) {
        const version = PACKAGE.exec(name)?.[1]
        if (version !== undefined) return version
      }
  return null
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const versionByCommand = (program: string, env: Environment): Promise<string | null> =>
  new Promise((resolve) => {
    const options = { env: { ...env }, timeout: RUN_MS, killSignal: 'SIGKILL', maxBuffer: 65_536 } as const
    execFile(program, ['--version'], options, (error, stdout) => {
      resolve(error ? null : (VERSION_OUTPUT.exec(stdout)?.[1] ?? null))
    }).stdin?.end()
  })
