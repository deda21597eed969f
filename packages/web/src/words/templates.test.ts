import { expect, it } from 'vitest'
import { templatesWords as w } from './templates.ts'

it('uses the singular for one thing', () => {
  expect(w.sub(1, 1)).toBe('1 template · used once')
  expect(w.sub(6, 91)).toBe('6 templates · used 91 times')
  expect(w.examples.removed(1)).toBe('1 secret removed')
  expect(w.examples.removed(3)).toBe('3 secrets removed')
  expect(w.broken.count(1)).toBe('1 file is not a valid template. Panoptes leaves it unchanged:')
})

it('shows the share of sessions in the A/B test', () => {
  expect(w.effect.experiment(0.5)).toBe('A/B test on, half of sessions')
  expect(w.effect.experiment(0.25)).toBe('A/B test on, 25 % of sessions')
})
