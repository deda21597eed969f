import type { ListedTemplate, TemplatePlace } from '@panoptes/schema'
import type { TemplatesSearch } from './search-params.ts'

/** A template is identified by name and place, because Panoptes and Hermes may use the same name. */
export type TemplateRef = Pick<ListedTemplate, 'place' | 'name'>

export const templateKey = ({ place, name }: TemplateRef): string => `${place} ${name}`

export const isSameTemplate = (a: TemplateRef, b: TemplateRef): boolean =>
  a.place === b.place && a.name === b.name

/** The parameters of a template; a bare name means the one of Panoptes. */
export const toSearch = ({
  place,
  name,
}: TemplateRef): { readonly name: string; readonly place: TemplatePlace | undefined } => ({
  name,
  place: place === 'panoptes' ? undefined : place,
})

/** The index of the template in the address, or -1. */
export function placeInList(shown: readonly TemplateRef[], { name, place }: TemplatesSearch): number {
  if (name === undefined) return -1
  if (place !== undefined) return shown.findIndex((one) => isSameTemplate(one, { name, place }))
  const ours = shown.findIndex((one) => isSameTemplate(one, { name, place: 'panoptes' }))
  return ours === -1 ? shown.findIndex((one) => one.name === name) : ours
}
