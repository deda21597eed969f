import { expect, it } from 'vitest'
import { Branches, nameOf } from './branches.ts'

const named = (...ids: readonly string[]) => new Set(ids.map((id) => nameOf('s', id)))

it('finds the branches of sessions, and those of branches, but not those that are asked for', () => {
  const branches = new Branches()
  const saw = (
    id: string,
    parent_id: string | null,
    lineage: 'branch' | 'compression' = 'branch',
    source = 's',
  ) => branches.saw({ source, id, parent_id, lineage })
  saw('root', null)
  saw('first', 'root')
  saw('second', 'first')
  saw('goes on', 'root', 'compression')
  saw('elsewhere', 'root', 'branch', 'other')
  saw('round', 'about')
  saw('about', 'round')
  expect(branches.of(named('root'))).toEqual(new Map([[nameOf('s', 'root'), ['first', 'second']]]))
  expect(branches.of(named('root', 'first'))).toEqual(
    new Map([
      [nameOf('s', 'first'), ['second']],
      [nameOf('s', 'root'), ['second']],
    ]),
  )
  expect(branches.of(named('round'))).toEqual(new Map([[nameOf('s', 'round'), ['about']]]))
  expect(branches.of(named('second', 'none')).size).toBe(0)
})
