import { describe, expect, it } from 'vitest'
import { choicesOf, offeredBy, outcomeOf } from './permission.ts'

const option = (optionId: string, kind: string, name = optionId) => ({ optionId, kind, name })

describe('what an ACP agent asks to be allowed', () => {
  const offered = offeredBy([
    option('no', 'reject_once'),
    option('run', 'allow_once'),
    option('run-session', 'allow_always', 'Yes, in this session'),
    option('run-ever', 'allow_always', 'Always'),
    option('run-again', 'allow_once'),
    option('odd', 'of_tomorrow'),
  ])

  it('is asked in our words, in one order', () => {
    expect(choicesOf(offered)).toEqual(['once', 'session', 'always', 'deny'])
  })
  it('is answered with its own option, the first of a kind', () => {
    const chosen = (choice: string) => outcomeOf(offered, choice, false)
    expect(chosen('once')).toEqual({ outcome: { outcome: 'selected', optionId: 'run' } })
    expect(chosen('session')).toEqual({ outcome: { outcome: 'selected', optionId: 'run-session' } })
    expect(chosen('always')).toEqual({ outcome: { outcome: 'selected', optionId: 'run-ever' } })
    expect(chosen('deny')).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } })
  })
  it('is denied where nobody answers, or with what was not offered', () => {
    expect(outcomeOf(offered, null, false)).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } })
    const once = offeredBy([option('run', 'allow_once')])
    expect(choicesOf(once)).toEqual(['once', 'deny'])
    for (const choice of ['deny', 'always', 'odd', null])
      expect(outcomeOf(once, choice, false)).toEqual({ outcome: { outcome: 'cancelled' } })
  })
  it('is cancelled where the run is stopped, whatever was chosen', () => {
    expect(outcomeOf(offered, 'once', true)).toEqual({ outcome: { outcome: 'cancelled' } })
  })
  it('may be anything at all', () => {
    for (const options of [undefined, 'all', [null, 7, {}, { kind: 'allow_once' }]])
      expect(choicesOf(offeredBy(options))).toEqual(['deny'])
  })
})
