import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Every file Panoptes stores, in one place. */
export interface Paths {
  readonly home: string
  readonly config: string
  readonly tokens: string
  readonly daemon: string
  readonly store: string
  /** The archive of past sessions and their search index. */
  readonly history: string
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

export function resolvePaths(env: Environment = process.env): Paths {
  const home = resolve(env.PANOPTES_HOME || join(env.HOME || homedir(), '.panoptes'))
  return {
    home,
    config: join(home, 'config.yaml'),
    tokens: join(home, 'tokens'),
    daemon: join(home, 'daemon.json'),
    store: join(home, 'ledger.db'),
    history: join(home, 'history.db'),
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
