import { expect, it } from 'vitest'
import { Branches, sessionKey } from './forget.ts'

const named = (...ids: readonly string[]) => new Set(ids.map((id) => sessionKey('s', id)))

it('finds branches of sessions and branches of branches, without the requested sessions themselves', () => {
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
  expect(branches.of(named('root'))).toEqual(new Map([[sessionKey('s', 'root'), ['first', 'second']]]))
  expect(branches.of(named('root', 'first'))).toEqual(
    new Map([
      [sessionKey('s', 'first'), ['second']],
      [sessionKey('s', 'root'), ['second']],
    ]),
  )
  expect(branches.of(named('round'))).toEqual(new Map([[sessionKey('s', 'round'), ['about']]]))
  expect(branches.of(named('second', 'none')).size).toBe(0)
})
