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
