import { hash } from 'node:crypto'
import { type Fields, fieldsOf, textOf } from '../fields.ts'

/** The same for a row and its copies: what they say they took may differ. Nothing for rows without a name. */
export function rowKey(row: Fields, more: unknown = null): string | undefined {
  const uuid = textOf(row.uuid)
  if (uuid === null) return undefined
  const said = fieldsOf(row.message).content ?? row.content
  return hash('sha1', JSON.stringify([uuid, said, more]), 'base64url')
}
