import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Achievements, openAchievements } from '@panoptes/engine/achievements'
import type { openSqliteLedger } from '@panoptes/engine/ledger'
import type { Result } from '@panoptes/schema'
import { build } from 'esbuild'
import { asPublished, threads } from '../packages/cli/build/bundle.ts'

interface Published {
  readonly openAchievements: typeof openAchievements
  readonly openSqliteLedger: typeof openSqliteLedger
}

const SOURCE = `export { openAchievements } from '@panoptes/engine/achievements'
export { openSqliteLedger } from '@panoptes/engine/ledger'`

/** The engine as it is published: from the clone every thread begins with a compiler. */
export async function publishedEngine(folder: string): Promise<Published> {
  const outdir = join(folder, 'engine')
  const stdin = { contents: SOURCE, resolveDir: import.meta.dirname, loader: 'ts' as const }
  await build({ ...asPublished, stdin, outfile: join(outdir, 'engine.js') })
  await build({ ...asPublished, entryPoints: threads, outdir })
  return (await import(pathToFileURL(join(outdir, 'engine.js')).href)) as Published
}

export const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

export interface Opened {
  readonly achievements: Achievements
  readonly close: () => Promise<void>
}

/** Achievements with a ledger in a folder of their own, ready to count. */
export async function opened(engine: Published, folder: string, hermesHome: string): Promise<Opened> {
  mkdirSync(folder, { recursive: true })
  const ledger = value(await engine.openSqliteLedger(join(folder, 'ledger.db')))
  const achievements = engine.openAchievements({
    achieved: ledger.achieved,
    forgotten: value(await ledger.forgetting.forgotten()),
    folder: join(folder, 'achievements'),
    env: { HOME: folder, HERMES_HOME: hermesHome },
    zone: 'UTC',
  })
  // The thread is there when it has answered.
  await achievements.badges('nobody', { source: 'hermes' })
  return {
    achievements,
    close: async () => {
      await achievements.close()
      await ledger.close()
    },
  }
}
