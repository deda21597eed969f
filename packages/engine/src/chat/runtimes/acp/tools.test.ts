import { describe, expect, it } from 'vitest'
import { listChoices, readChoices, toOutcome } from './tools.ts'

const option = (optionId: string, kind: string, name = optionId) => ({ optionId, kind, name })

describe('permission request of an ACP agent', () => {
  const offered = readChoices([
    option('no', 'reject_once'),
    option('run', 'allow_once'),
    option('run-session', 'allow_always', 'Yes, in this session'),
    option('run-ever', 'allow_always', 'Always'),
    option('run-again', 'allow_once'),
    option('odd', 'of_tomorrow'),
  ])

  it('is shown with the choices of Panoptes in a fixed order', () => {
    expect(listChoices(offered)).toEqual(['once', 'session', 'always', 'deny'])
  })
  it("is answered with the agent's first option of a kind", () => {
    const chosen = (choice: string) => toOutcome(offered, choice, false)
    expect(chosen('once')).toEqual({ outcome: { outcome: 'selected', optionId: 'run' } })
    expect(chosen('session')).toEqual({ outcome: { outcome: 'selected', optionId: 'run-session' } })
    expect(chosen('always')).toEqual({ outcome: { outcome: 'selected', optionId: 'run-ever' } })
    expect(chosen('deny')).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } })
  })
  it('is denied if nobody answers or the choice was not offered', () => {
    expect(toOutcome(offered, null, false)).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } })
    const once = readChoices([option('run', 'allow_once')])
    expect(listChoices(once)).toEqual(['once', 'deny'])
    for (const choice of ['deny', 'always', 'odd', null])
      expect(toOutcome(once, choice, false)).toEqual({ outcome: { outcome: 'cancelled' } })
  })
  it('is cancelled if the run is stopped, whatever was chosen', () => {
    expect(toOutcome(offered, 'once', true)).toEqual({ outcome: { outcome: 'cancelled' } })
  })
  it('may contain anything', () => {
    for (const options of [undefined, 'all', [null, 7, {}, { kind: 'allow_once' }]])
      expect(listChoices(readChoices(options))).toEqual(['deny'])
  })
})
