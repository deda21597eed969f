import { readlink, realpath } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** Every file Panoptes stores, in one place. */
export interface Paths {
  readonly home: string
  readonly config: string
  readonly tokens: string
  readonly daemon: string
  readonly store: string
  /** The archive of past sessions and their search index. */
  readonly history: string
  /** The files of sessions byte for byte, if `archive.originals` is on. They are not redacted. */
  readonly originals: string
  /** The index of older versions, which the history replaces. */
  readonly formerIndex: string
  /** The search index of the user's notes. It can be rebuilt from them. */
  readonly knowledge: string
  /** Downloaded prices. Without this file the built-in prices apply. */
  readonly prices: string
  readonly events: string
  readonly spool: string
  /** The script that agents run, and the records of installed hooks. */
  readonly hooks: string
  /** Achievements, written for other programs to read. */
  readonly achievements: string
  /** Templates, one file each. */
  readonly templates: string
  /** Outcomes of agents and claims, as lines for other programs. */
  readonly journals: string
  /** Changes that skill reviews made to folders of skills, so that they can be undone. */
  readonly skillsReview: string
  /** A record of the files written into the home of Hermes for its dashboard tab. */
  readonly hermesTab: string
  readonly log: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Suffixes of files next to a file: those of SQLite, the lock, and the rotated log. */
const BESIDE = ['', '-wal', '-shm', '-journal', '.lock', '.1']

export function resolvePaths(env: Environment = process.env): Paths {
  const home = resolve(env.PANOPTES_HOME || join(env.HOME || homedir(), '.panoptes'))
  return {
    home,
    config: join(home, 'config.yaml'),
    tokens: join(home, 'tokens'),
    daemon: join(home, 'daemon.json'),
    store: join(home, 'ledger.db'),
    history: join(home, 'history.db'),
    originals: join(home, 'originals'),
    formerIndex: join(home, 'index.db'),
    knowledge: join(home, 'knowledge.db'),
    prices: join(home, 'prices.json'),
    events: join(home, 'events.jsonl'),
    spool: join(home, 'spool'),
    hooks: join(home, 'hooks'),
    achievements: join(home, 'achievements'),
    templates: join(home, 'templates'),
    journals: join(home, 'journals'),
    skillsReview: join(home, 'skills-review.json'),
    hermesTab: join(home, 'hermes-tab.json'),
    log: join(home, 'panoptes.log'),
  }
}

/**
 * Checks whether a path leads, through any links, to a file that Panoptes stores in its home, also when that
 * file does not exist yet.
 */
export async function isInHome({ home, ...paths }: Paths, file: string): Promise<boolean> {
  const [target, folder] = await Promise.all([realTarget(file), realTarget(home)])
  if (target === folder) return true
  for (const path of Object.values(paths)) {
    const places = [join(folder, basename(path)), await realTarget(path)]
    const own = (place: string) =>
      target.startsWith(place + sep) || BESIDE.some((end) => target === place + end)
    if (places.some(own)) return true
  }
  return false
}

/** The owner of a hub's home is one more person in the team, and a different one on each machine. */
export const ownerOfHome = (): string => `home:${hostname()}`

/** Resolves a path through all links, also when the final file does not exist yet. */
export async function realTarget(named: string, links = 8): Promise<string> {
  try {
    return await realpath(named)
  } catch {
    const folder = await realpath(dirname(named)).catch(() => dirname(named))
    const link = await readlink(named).catch(() => null)
    if (link !== null && links > 0) return realTarget(resolve(folder, link), links - 1)
    return join(folder, basename(named))
  }
}
