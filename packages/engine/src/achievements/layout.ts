import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Paths } from '@panoptes/engine/home'
import { hermesHome, hermesKeepsPluginData, hermesPackageVersion } from '@panoptes/engine/sources'
import type { Config, Result } from '@panoptes/schema'
import { type Fields, isPlainObject } from '@panoptes/schema/plain-object'
import { failure, success } from '@panoptes/schema/result'
import { readJson } from './files.ts'

interface Home {
  readonly paths: Paths
  readonly config: Pick<Config, 'layout' | 'layout_force'>
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the folder of the achievement files. Files of Hermes' own plugin are not overwritten,
 * unless requested.
 */
export function placeOfAchievements({ paths, config, env }: Home): Result<string> {
  if (config.layout !== 'hermes') return success(paths.achievements)
  const folder = folderOfHermes(env)
  if (config.layout_force || !isOfHermes(folder)) return success(folder)
  return failure(
    'invalid',
    `layout is hermes, but the Hermes plugin has files in ${folder}. Set "layout: panoptes", or "layout_force: true" to overwrite them.`,
  )
}

/**
 * Up to version 0.19 the plugin stores its files next to the plugins, since then in a folder for
 * plugin data.
 */
function folderOfHermes(env: Home['env']): string {
  const folderIn = (place: string) => join(resolve(hermesHome(env)), place, 'hermes-achievements')
  const [before, since] = [folderIn('plugins'), folderIn('plugin-data')]
  const version = hermesPackageVersion(env)
  if (version !== null) return hermesKeepsPluginData(version) ? since : before
  return existsSync(since) && !existsSync(before) ? since : before
}

/** Each of our files has something that the same file of Hermes' plugin lacks. */
const OURS: Readonly<Record<string, (file: Fields) => boolean>> = {
  'scan_snapshot.json': ({ view }) => view !== undefined,
  'scan_checkpoint.json': ({ sessions }) => eachHas(sessions, 'contribution'),
  'state.json': ({ unlocks }) => eachHas(unlocks, 'tiers'),
}

/** An unreadable file counts as theirs. */
function isOfHermes(folder: string): boolean {
  return Object.entries(OURS).some(([name, isOurs]) => {
    const file = join(folder, name)
    if (!existsSync(file)) return false
    const read = readJson(file)
    return !isPlainObject(read) || !isOurs(read)
  })
}

const eachHas = (entries: unknown, key: string): boolean =>
  isPlainObject(entries) &&
  Object.values(entries).every((entry) => isPlainObject(entry) && entry[key] !== undefined)
