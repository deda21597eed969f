import { type Fields, toFields } from '@panoptes/schema/plain-object'

export { type Fields, toFields }

export const toFieldList = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(toFields) : []

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

export const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
