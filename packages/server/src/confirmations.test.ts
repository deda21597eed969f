import { expect, it } from 'vitest'
import { createConfirmations } from './confirmations.ts'

it('confirms a request once, for the browser that made it, after its code was typed', () => {
  const confirmations = createConfirmations()
  const mine = confirmations.ask('mine', 'mine is done')
  const other = confirmations.ask('other', 'other is done')
  expect(mine?.code).toMatch(/^[2-9A-Z]{3}-[2-9A-Z]{3}$/)
  expect(other?.code).not.toBe(mine?.code)
  expect(confirmations.take('mine')).toBe(false)
  expect(confirmations.confirm(` ${mine?.code.toLowerCase().replace('-', ' ')}`)).toEqual({
    what: 'mine is done',
  })
  expect([confirmations.take('other'), confirmations.take('mine'), confirmations.take('mine')]).toEqual([
    false,
    true,
    false,
  ])
  expect(confirmations.confirm(mine?.code ?? '')).toBe('unknown')
})

it('returns the same code for a repeated request', () => {
  const confirmations = createConfirmations()
  expect(confirmations.ask('mine', 'x')?.code).toBe(confirmations.ask('mine', 'x')?.code)
})

it('expires codes after ten minutes', () => {
  let clock = 0
  const confirmations = createConfirmations(() => clock)
  const [early, late] = [confirmations.ask('early', 'x'), confirmations.ask('late', 'x')]
  confirmations.confirm(early?.code ?? '')
  clock = 600_000
  expect(confirmations.take('early')).toBe(false)
  expect(confirmations.confirm(late?.code ?? '')).toBe('unknown')
})

it('refuses codes for a minute after five wrong ones', () => {
  let clock = 0
  const confirmations = createConfirmations(() => clock)
  const asked = confirmations.ask('mine', 'x')
  for (let at = 0; at < 5; at += 1) expect(confirmations.confirm('wrong')).toBe('unknown')
  expect(confirmations.confirm(asked?.code ?? '')).toBe('limited')
  clock = 60_000
  expect(confirmations.confirm(asked?.code ?? '')).toEqual({ what: 'x' })
})

it('keeps a bounded number of requests', () => {
  const confirmations = createConfirmations()
  const made = Array.from({ length: 33 }, (_, at) => confirmations.ask(String(at), 'x'))
  expect(made.map((each) => each !== undefined)).toEqual(made.map((_, at) => at < 32))
})
