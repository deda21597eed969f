import { describe, expect, it } from 'vitest'
import { csv } from './csv.ts'

describe('rows for a spreadsheet', () => {
  it('have quotes where a comma, a quote or a line end asks for them, and leave unknown cells empty', () => {
    expect(
      csv(
        ['a', 'b'],
        [
          ['x,y', 1],
          ['say "it"', null],
          ['two\nlines', true],
        ],
      ),
    ).toEqual(['a,b', '"x,y",1', '"say ""it""",', '"two\nlines",true'])
  })

  it('never begin with what a spreadsheet runs', () => {
    expect(csv(['a'], [['=1+1'], ['+x'], ['-x'], ['@x'], [-5]])).toEqual([
      'a',
      "'=1+1",
      "'+x",
      "'-x",
      "'@x",
      '-5',
    ])
  })
})
