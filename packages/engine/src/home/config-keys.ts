import { check, config } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'

export type ConfigValue = string | number | boolean | null | readonly (string | object)[]

interface Section {
  readonly [key: string]: ConfigValue | Section
}

const defaults: Section = (() => {
  const checked = check(config, {})
  return checked.ok ? (checked.value as unknown as Section) : {}
})()

/** Every setting by its dotted name, with its default. */
export const CONFIG_DEFAULTS: ReadonlyMap<string, ConfigValue> = new Map(listLeaves(defaults, ''))

function isSection(value: unknown): value is Section {
  return isPlainObject(value)
}

/** Tables whose keys people choose: names of models, tools, agents and servers. */
export const CONFIG_TABLES: readonly string[] = [
  'prices',
  'providers',
  'moa.presets',
  'templates.tools',
  'runtimes.acp',
  'mcp_servers',
]

export const isOpenSection = (path: readonly string[]): boolean =>
  CONFIG_TABLES.some((table) => table.split('.').every((part, at) => path[at] === part))

/** Returns the keys that a section allows, or undefined when the name is not a section. */
export function keysUnder(path: readonly string[]): readonly string[] | undefined {
  let place: unknown = defaults
  for (const key of path) {
    place = isSection(place) && Object.hasOwn(place, key) ? place[key] : undefined
  }
  return isSection(place) ? Object.keys(place) : undefined
}

/** Returns the value at a dotted name. */
export function valueAt(root: unknown, key: string): unknown {
  let place = root
  for (const part of key.split('.')) {
    place = isSection(place) && Object.hasOwn(place, part) ? place[part] : undefined
  }
  return place
}

function listLeaves(section: Section, prefix: string): [string, ConfigValue][] {
  return Object.entries(section).flatMap(([key, value]): [string, ConfigValue][] =>
    isSection(value) ? listLeaves(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  )
}
