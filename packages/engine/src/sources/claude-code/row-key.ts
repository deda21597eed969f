import { hash } from 'node:crypto'
import { type Fields, toFields, toText } from '../fields.ts'

/**
 * Builds a key that a row shares with its copies, whose usage may differ. Undefined for rows without an id.
 */
export function rowKey(row: Fields, more: unknown = null): string | undefined {
  const uuid = toText(row.uuid)
  if (uuid === null) return undefined
  const content = toFields(row.message).content ?? row.content
  return hash('sha1', JSON.stringify([uuid, content, more]), 'base64url')
}
