import { expect, it } from 'vitest'
import { redactRow } from './event.ts'
import { SECRET_KINDS } from './secrets.test-kit.ts'

const secret = SECRET_KINDS.github?.() ?? ''
const ids = new Set(['id', 'calls'])

it('removes secrets from values and names of a row at any depth', () => {
  const clean = redactRow({ title: `a ${secret}`, counts: [{ [`mcp ${secret}`]: 3 }] }, ids)
  expect(clean).toMatchObject({ title: expect.stringContaining('[redacted:') })
  expect(JSON.stringify(clean)).toContain(':3}')
  expect(JSON.stringify(clean)).not.toContain(secret)
})

it('leaves the ids of a row unchanged at any depth', () => {
  const row = { id: secret, deep: [{ id: secret, calls: [secret, { id: secret }] }] }
  expect(redactRow(row, ids)).toBe(row)
})

it('does not treat a count as a password', () => {
  const row = { tool_counts: { reset_password: 123_456 } }
  expect(redactRow(row, ids)).toBe(row)
})
