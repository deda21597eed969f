import { describe, expect, it } from 'vitest'
import { readSearch, toFilter } from './search-params.ts'

describe('the address of Live', () => {
  it('keeps valid parameters and drops the rest', () => {
    const raw = {
      view: 'table',
      state: 'waiting',
      source: 'hermes',
      project: 7,
      host: 'desk',
      model: 'opus',
      session: 'a~b',
      agent: 'a~b~c',
      at: '12',
    }
    expect(readSearch(raw)).toEqual({
      view: 'table',
      state: 'waiting',
      source: 'hermes',
      project: '7',
      host: 'desk',
      model: 'opus',
      session: 'a~b',
      agent: 'a~b~c',
      at: 12,
    })
    expect(
      readSearch({ view: 'pie', state: 'asleep', model: 'x', at: 'soon', source: '', other: 1 }),
    ).toEqual({})
  })

  it('builds the filter', () => {
    expect(toFilter({ state: 'stuck' })).toEqual({ state: 'stuck' })
  })
})
