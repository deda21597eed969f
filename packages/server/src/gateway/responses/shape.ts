import { randomUUID } from 'node:crypto'

export type Fields = Readonly<Record<string, unknown>>

/** What is no object has no fields. */
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const newId = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`
