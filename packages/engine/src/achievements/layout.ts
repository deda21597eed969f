import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { achievementsFolder, type Paths } from '@panoptes/engine/home'
import { hermesHome } from '@panoptes/engine/sources'
import type { Config, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { readJson } from './files.ts'

interface Home {
  readonly paths: Paths
  readonly config: Pick<Config, 'layout' | 'layout_force'>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The folder of the files of achievements. What Hermes' own plugin wrote is not written over, unless somebody wants that. */
export function placeOfAchievements({ paths, config, env }: Home): Result<string> {
  const folder = achievementsFolder(paths, config.layout, hermesHome(env))
  if (config.layout !== 'hermes' || config.layout_force || !isOfHermes(folder)) return success(folder)
  return failure(
    'invalid',
    `layout is hermes, but Hermes' own plugin keeps its files in ${folder}. Say "layout: panoptes", or "layout_force: true" to write over them.`,
  )
}

type Fields = Readonly<Record<string, unknown>>

/** Each file of ours has something that the same file of Hermes' plugin has not. */
const OURS: Readonly<Record<string, (file: Fields) => boolean>> = {
  'scan_snapshot.json': ({ view }) => view !== undefined,
  'scan_checkpoint.json': ({ sessions }) => eachHas(sessions, 'contribution'),
  'state.json': ({ unlocks }) => eachHas(unlocks, 'tiers'),
}

/** What cannot be read is taken for theirs. */
function isOfHermes(folder: string): boolean {
  return Object.entries(OURS).some(([name, isOurs]) => {
    const file = join(folder, name)
    if (!existsSync(file)) return false
    const read = readJson(file)
    return !isFields(read) || !isOurs(read)
  })
}

const eachHas = (entries: unknown, key: string): boolean =>
  isFields(entries) && Object.values(entries).every((entry) => isFields(entry) && entry[key] !== undefined)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
