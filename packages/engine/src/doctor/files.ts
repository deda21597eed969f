import { constants } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { brokenTokens, mayMake, tokenFile } from '@panoptes/engine/home'
import { type Check, failed, ok, warning } from './check.ts'

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')
const MB = 1e6

export const homeCheck: Check = {
  id: 'home',
  title: 'Home folder',
  run: async ({ paths }) => {
    const { home } = paths
    const found = await stat(home).catch(() => undefined)
    if (!found) {
      const made = await mayMake(home)
      if (made.ok) return ok(`${home} is not there yet; panoptes up makes it`)
      return failed(home, made.message, 'Set PANOPTES_HOME to a folder that you may write to.')
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
      return failed(detail, 'This user may not write there', 'Set PANOPTES_HOME to a folder of your own.')
    }
    if (process.getuid && found.uid !== process.getuid()) {
      return warning(detail, `It belongs to user ${found.uid}`, 'Start Panoptes as that user.')
    }
    if ((found.mode & 0o077) === 0) return ok(detail)
    const next = `If only Panoptes uses it: chmod 700 "${home}". Else set PANOPTES_HOME to a folder of its own.`
    return warning(detail, 'Others on this computer can look into it', next)
  },
}

export const diskCheck: Check = {
  id: 'disk',
  title: 'Free disk',
  run: async ({ paths }) => {
    const disk = await statfs(await existing(paths.home))
    const free = disk.bavail * disk.bsize
    const detail =
      free > 10 * 1000 * MB ? `${Math.round(free / 1e9)} GB free` : `${Math.round(free / MB)} MB free`
    const next = 'Free some space, or move the home with PANOPTES_HOME.'
    if (free < 100 * MB) return failed(detail, 'The ledger may not be able to grow', next)
    if (free < 1000 * MB) return warning(detail, 'Less than 1 GB is left', next)
    return ok(detail)
  },
}

async function existing(folder: string): Promise<string> {
  const there = await stat(folder).then(
    () => true,
    () => false,
  )
  return there || dirname(folder) === folder ? folder : existing(dirname(folder))
}

export const tokensCheck: Check = {
  id: 'tokens',
  title: 'Tokens',
  run: async ({ paths }) => {
    const folder = await stat(paths.tokens).catch(() => undefined)
    if (!folder) return ok('None yet; panoptes up makes them')
    const names = await readdir(paths.tokens)
    const modes = await Promise.all(
      names.map(async (name) => ({ name, mode: (await stat(join(paths.tokens, name))).mode })),
    )
    const broken = brokenTokens(paths).map((scope) => tokenFile(paths, scope))
    if (broken.length > 0) {
      const cause = 'What is in it is no token, so Panoptes does not start'
      return failed(broken.join(', '), cause, 'Remove it; panoptes up makes a new one.')
    }
    const open = modes.filter(({ mode }) => (mode & 0o077) !== 0)
    if (open.length === 0) return ok(`${names.length} files that only this user can read`)
    return failed(
      open.map(({ name, mode }) => `${name} has mode ${octal(mode)}`).join(', '),
      'Others on this computer can read a token',
      `Close them with: chmod 600 "${paths.tokens}"/*`,
    )
  },
}
