import { constants } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkCreatable, findBrokenTokens, NotAFile, tokenFile } from '@panoptes/engine/home'
import { plural } from '@panoptes/schema/numbers'
import { type Check, failed, ok, type Patient, warning } from './check.ts'

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')
const MB = 1e6

export const homeCheck: Check = {
  id: 'home',
  title: 'Home folder',
  run: async ({ paths }) => {
    const { home } = paths
    const found = await stat(home).catch(() => undefined)
    if (!found) {
      const made = await checkCreatable(home)
      if (made.ok) return ok(`${home} does not exist yet; panoptes up creates it`)
      return failed(home, made.message, 'Set PANOPTES_HOME to a folder that you can write to.')
    }
    if (!found.isDirectory()) {
      return failed(home, 'It is not a folder', 'Move it away, or set PANOPTES_HOME to a folder.')
    }
    const detail = `${home}, mode ${octal(found.mode)}`
    const writable = await access(home, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
    if (!writable) {
      return failed(detail, 'This user cannot write there', 'Set PANOPTES_HOME to a folder of your own.')
    }
    const other = (await Promise.all(listWrittenFiles(paths).map(findObstacle))).find(Boolean)
    if (other !== undefined) {
      return failed(
        other.path,
        `It is ${other.kind}, so Panoptes cannot start`,
        'Move it away; panoptes up creates the file.',
      )
    }
    if (process.getuid && found.uid !== process.getuid()) {
      return warning(detail, `It belongs to user ${found.uid}`, 'Start Panoptes as that user.')
    }
    if ((found.mode & 0o077) === 0) return ok(detail)
    const next = `If only Panoptes uses it: chmod 700 "${home}". Otherwise set PANOPTES_HOME to a separate folder.`
    return warning(detail, 'Other users of this computer can read it', next)
  },
}

interface Written {
  readonly path: string
  /** This is true when the file is replaced as a whole. Only a folder in its place prevents that. */
  readonly isReplaced: boolean
}

/** Lists the files without which Panoptes does not start. */
const listWrittenFiles = ({ daemon, log, store }: Patient['paths']): readonly Written[] => [
  { path: daemon, isReplaced: true },
  { path: log, isReplaced: false },
  { path: `${store}.lock`, isReplaced: false },
]

/** Returns what keeps Panoptes from writing the file. */
async function findObstacle({ path, isReplaced }: Written) {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || (isReplaced ? !found.isDirectory() : found.isFile())) return undefined
  return { path, kind: new NotAFile(path, found).kind }
}

export const diskCheck: Check = {
  id: 'disk',
  title: 'Free disk',
  run: async ({ paths }) => {
    const disk = await statfs(await findExistingParent(paths.home))
    const free = disk.bavail * disk.bsize
    const detail =
      free > 10 * 1000 * MB ? `${Math.round(free / 1e9)} GB free` : `${Math.round(free / MB)} MB free`
    const next = 'Free some space, or move the home with PANOPTES_HOME.'
    if (free < 100 * MB) return failed(detail, 'The store may run out of space', next)
    if (free < 1000 * MB) return warning(detail, 'Less than 1 GB is left', next)
    return ok(detail)
  },
}

async function findExistingParent(folder: string): Promise<string> {
  const there = await stat(folder).then(
    () => true,
    () => false,
  )
  return there || dirname(folder) === folder ? folder : findExistingParent(dirname(folder))
}

export const tokensCheck: Check = {
  id: 'tokens',
  title: 'Tokens',
  run: async ({ paths }) => {
    const folder = await stat(paths.tokens).catch(() => undefined)
    if (!folder) return ok('None yet; panoptes up creates them')
    const names = await readdir(paths.tokens)
    const modes = await Promise.all(
      names.map(async (name) => ({ name, mode: (await stat(join(paths.tokens, name))).mode })),
    )
    const broken = findBrokenTokens(paths).map((scope) => tokenFile(paths, scope))
    if (broken.length > 0) {
      const cause = 'It does not contain a token, so Panoptes cannot start'
      return failed(broken.join(', '), cause, 'Delete it; panoptes up creates a new one.')
    }
    const open = modes.filter(({ mode }) => (mode & 0o077) !== 0)
    if (open.length === 0) return ok(`${plural(names.length, 'file')} that only this user can read`)
    return failed(
      open.map(({ name, mode }) => `${name} has mode ${octal(mode)}`).join(', '),
      'Other users of this computer can read a token',
      `Restrict access with: chmod 600 "${paths.tokens}"/*`,
    )
  },
}
