import type { TaskType, TemplatePlace } from '@panoptes/schema'

export const TYPES = ['code', 'file', 'research', 'terminal', 'mixed'] as const satisfies readonly TaskType[]

/**
 * The address of the Templates page: the type filter and the open template. A bare name prefers the Panoptes
 * template.
 */
export interface TemplatesSearch {
  readonly type?: TaskType
  readonly name?: string
  readonly place?: TemplatePlace
}

const PLACES = ['panoptes', 'hermes'] as const satisfies readonly TemplatePlace[]

const LONGEST = 200

export function readSearch(raw: Record<string, unknown>): TemplatesSearch {
  const type = TYPES.find((one) => one === raw.type)
  // The router parses a name of only digits as a number.
  const name = typeof raw.name === 'number' ? String(raw.name) : raw.name
  const place = PLACES.find((one) => one === raw.place)
  return {
    ...(type ? { type } : {}),
    ...(typeof name === 'string' && name !== ''
      ? { name: name.slice(0, LONGEST), ...(place ? { place } : {}) }
      : {}),
  }
}
