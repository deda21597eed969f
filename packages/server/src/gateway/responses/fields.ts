import { randomUUID } from 'node:crypto'

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const newId = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`
