import { join } from 'node:path'
import { it } from 'vitest'
import { watching } from '../battery/watching.ts'
import { makeState, tempHome } from './hermes.test-kit.ts'
import { watchHome } from './watch.ts'

it('tells of a commit, of a home and of a profile that are made later', async () => {
  const home = join(tempHome(), 'later')
  const told = watching((changed) => watchHome(home, changed, 30), 300)
  await told('a home', () => makeState(home, { journal: 'wal' }).session({ id: 'a' }))
  const profile = makeState(home, { profile: 'work', journal: 'wal' })
  await told('a commit', () => profile.session({ id: 'b' }))
  await told('a profile', () => makeState(home, { profile: 'play' }).session({ id: 'c' }))
})
