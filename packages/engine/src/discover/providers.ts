import { type FoundSource, KNOWN_PROVIDERS } from '@panoptes/schema'
import type { Environment } from './places.ts'

/** Providers whose key is in the environment. Only the name of the variable is told, never its value. */
export function findKeyedProviders(env: Environment): readonly FoundSource[] {
  return Object.entries(KNOWN_PROVIDERS).flatMap(([id, { title, keys }]): FoundSource[] => {
    const [usual] = keys
    if (usual === undefined) return []
    const set = keys.find((variable) => (env[variable] ?? '') !== '')
    const base = { id, name: title, kind: 'provider', path: null } as const
    if (set) return [{ ...base, state: 'found', detail: `Key in ${set}`, next: null }]
    const next = `To use it, set ${usual} before panoptes up.`
    return [{ ...base, state: 'absent', detail: 'No key in the environment', next }]
  })
}

/** With the providers that a person named: they are there, also where neither a key nor a server was found. */
export function withNamed(found: readonly FoundSource[], names: readonly string[]): readonly FoundSource[] {
  const known = new Set(found.filter(({ state }) => state === 'found').map(({ id }) => id))
  const named = names
    .filter((name) => !known.has(name))
    .map(
      (id): FoundSource => ({
        id,
        name: KNOWN_PROVIDERS[id]?.title ?? id,
        kind: 'provider',
        state: 'found',
        path: null,
        detail: 'Named in config.yaml',
        next: null,
      }),
    )
  return [...found.filter(({ id }) => known.has(id) || !names.includes(id)), ...named]
}
