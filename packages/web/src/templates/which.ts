import type { ListedTemplate, TemplatePlace } from '@panoptes/schema'
import type { TemplatesSearch } from './search.ts'

/** One template: ours and one of Hermes may have the same name. */
export type Which = Pick<ListedTemplate, 'place' | 'name'>

export const keyOf = ({ place, name }: Which): string => `${place} ${name}`

export const isSame = (a: Which, b: Which): boolean => a.place === b.place && a.name === b.name

/** What the address says of it: nothing of the place where it is ours, which a name alone means. */
export const addressOf = ({
  place,
  name,
}: Which): { readonly name: string; readonly place: TemplatePlace | undefined } => ({
  name,
  place: place === 'panoptes' ? undefined : place,
})

/** Where the one that the address means is in the list, or -1. */
export function placeInList(shown: readonly Which[], { name, place }: TemplatesSearch): number {
  if (name === undefined) return -1
  if (place !== undefined) return shown.findIndex((one) => isSame(one, { name, place }))
  const ours = shown.findIndex((one) => isSame(one, { name, place: 'panoptes' }))
  return ours === -1 ? shown.findIndex((one) => one.name === name) : ours
}
