import { success } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { createSealer } from './sealed-state.ts'

const value = { state: 's', nonce: 'n', verifier: 'v', to: '/ledger', until: 1_000 }
const sealer = (secret: string, now = 0) =>
  createSealer({ secret: async () => success(secret) } as Parameters<typeof createSealer>[0], () => now)

it('opens state that any hub of the team sealed, until it expires', async () => {
  const sealed = await sealer('one').seal(value)
  if (!sealed.ok) throw new Error(sealed.message)
  expect(await sealer('one', 999).open(sealed.value)).toEqual(success(value))
  expect(await sealer('one', 1_000).open(sealed.value)).toEqual(success(undefined))
  expect(await sealer('two').open(sealed.value)).toEqual(success(undefined))
  expect(await sealer('one').open(`${sealed.value.slice(0, -4)}AAAA`)).toEqual(success(undefined))
  for (const odd of [undefined, '', 'short'])
    expect(await sealer('one').open(odd)).toEqual(success(undefined))
})
