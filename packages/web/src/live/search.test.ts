import { describe, expect, it } from 'vitest'
import { filterOf, readSearch } from './search.ts'

describe('the address of Live', () => {
  it('is read as far as it makes sense', () => {
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

  it('says what to filter by', () => {
    expect(filterOf({ state: 'stuck' })).toEqual({ state: 'stuck' })
  })
})
