import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Every file Panoptes keeps, in one place. */
export interface Paths {
  readonly home: string
  readonly config: string
  readonly tokens: string
  readonly daemon: string
  readonly ledger: string
  /** What past sessions are found by; it can be made again from the sources. */
  readonly index: string
  /** What the person's notes are found by; it can be made again from them. */
  readonly knowledge: string
  /** Prices that were fetched; without it those that come with the program. */
  readonly prices: string
  readonly events: string
  readonly spool: string
  /** The script that agents run, and which hooks were written. */
  readonly hooks: string
  /** What achievements write down for other programs. */
  readonly achievements: string
  /** Templates, one file each. */
  readonly templates: string
  /** What agents and claims amounted to, as lines for other programs. */
  readonly journals: string
  /** What reviews did to folders of skills, so that it can be taken back. */
  readonly skillsReview: string
  /** What was written into the home of Hermes for the tab in its dashboard. */
  readonly hermesTab: string
  readonly log: string
}

type Environment = Readonly<Record<string, string | undefined>>

export function resolvePaths(env: Environment = process.env): Paths {
  const home = resolve(env.PANOPTES_HOME || join(env.HOME || homedir(), '.panoptes'))
  return {
    home,
    config: join(home, 'config.yaml'),
    tokens: join(home, 'tokens'),
    daemon: join(home, 'daemon.json'),
    ledger: join(home, 'ledger.db'),
    index: join(home, 'index.db'),
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

/** Where the files of achievements are: in the home, or where Hermes' own plugin has them. */
export const achievementsFolder = (
  { achievements }: Paths,
  layout: 'panoptes' | 'hermes',
  hermesHome: string,
): string =>
  layout === 'hermes' ? join(resolve(hermesHome), 'plugin-data', 'hermes-achievements') : achievements
