import { check, config } from '@panoptes/schema'

export type ConfigValue = string | number | boolean | null | readonly (string | object)[]

interface Section {
  readonly [key: string]: ConfigValue | Section
}

const defaults: Section = (() => {
  const checked = check(config, {})
  return checked.ok ? (checked.value as unknown as Section) : {}
})()

/** Every setting by its dotted name, with its default. */
export const CONFIG_DEFAULTS: ReadonlyMap<string, ConfigValue> = new Map(leaves(defaults, ''))

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tables whose keys are people's own: names of models, of tools, of agents and of servers. */
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

/** What may stand under a dotted name: its keys when it is a section, else nothing. */
export function keysUnder(path: readonly string[]): readonly string[] | undefined {
  let place: unknown = defaults
  for (const key of path) {
    place = isSection(place) && Object.hasOwn(place, key) ? place[key] : undefined
  }
  return isSection(place) ? Object.keys(place) : undefined
}

/** The value at a dotted name. */
export function valueAt(root: unknown, key: string): unknown {
  let place = root
  for (const part of key.split('.')) {
    place = isSection(place) && Object.hasOwn(place, part) ? place[part] : undefined
  }
  return place
}

function leaves(section: Section, prefix: string): [string, ConfigValue][] {
  return Object.entries(section).flatMap(([key, value]): [string, ConfigValue][] =>
    isSection(value) ? leaves(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  )
}
