import { isName } from '@panoptes/schema'

export { type Fields, toFields } from '@panoptes/schema/plain-object'

export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const toName = (value: unknown): string | undefined => (isName(value) ? value : undefined)
