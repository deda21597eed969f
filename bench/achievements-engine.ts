import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Achievements, openAchievements } from '@panoptes/engine/achievements'
import type { openSqliteStore } from '@panoptes/engine/store'
import { build } from 'esbuild'
import { asPublished, threads } from '../packages/cli/build/bundle.ts'
import { orThrow } from './report.ts'

interface Published {
  readonly openAchievements: typeof openAchievements
  readonly openSqliteStore: typeof openSqliteStore
}

const SOURCE = `export { openAchievements } from '@panoptes/engine/achievements'
export { openSqliteStore } from '@panoptes/engine/store'`

/** Builds the engine as it is published. In a clone, every thread starts with a compiler. */
export async function publishedEngine(folder: string): Promise<Published> {
  const outdir = join(folder, 'engine')
  const stdin = { contents: SOURCE, resolveDir: import.meta.dirname, loader: 'ts' as const }
  await build({ ...asPublished, stdin, outfile: join(outdir, 'engine.js') })
  await build({ ...asPublished, entryPoints: threads, outdir })
  return (await import(pathToFileURL(join(outdir, 'engine.js')).href)) as Published
}

export interface Opened {
  readonly achievements: Achievements
  readonly close: () => Promise<void>
}

/** Opens achievements with a store in a separate folder, ready to count. */
export async function opened(engine: Published, folder: string, hermesHome: string): Promise<Opened> {
  mkdirSync(folder, { recursive: true })
  const store = orThrow(await engine.openSqliteStore(join(folder, 'ledger.db')))
  const achievements = engine.openAchievements({
    achievementStore: store.achievementStore,
    // All sessions are Hermes'.
    sessions: { refresh: async () => ({ ok: true, value: null }), onRead: () => () => undefined },
    forgotten: orThrow(await store.forgetting.forgotten()),
    folder: join(folder, 'achievements'),
    env: { HOME: folder, HERMES_HOME: hermesHome },
    zone: 'UTC',
  })
  // The first answer proves that the thread has started.
  await achievements.badges('nobody', { source: 'hermes' })
  return {
    achievements,
    close: async () => {
      await achievements.close()
      await store.close()
    },
  }
}
