import { expect, it } from 'vitest'
import { messagesOf } from '../conformance/records.ts'
import { listAll, makeState, readOne, tempHome } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

it('finds single messages by id as a full read returns them, and only in their own session', async () => {
  const home = tempHome()
  for (const schema of ['schema.sql', 'schema_v11.sql'] as const) {
    const state = makeState(home, { schema, profile: schema.startsWith('schema_') ? 'old' : 'new' })
    const own = `s-${schema}`
    state.session({ id: own, model: 'openai/gpt-5.4' })
    state.session({ id: `${own}-other` })
    for (let n = 0; n < 5; n += 1)
      state.message({ session_id: own, role: 'assistant', content: `answer ${n}` })
    state.message({ session_id: `${own}-other`, content: 'not here' })
    const source = hermesSource(home)
    const listed = (await listAll(source)).find(({ id }) => id === own)
    const read = messagesOf(await readOne(source, own))
    const ids = [read[3]?.id ?? '', read[1]?.id ?? '', '6', '999', 'no number']
    expect(listed && (await source.find?.(listed, ids))).toEqual([read[3], read[1]])
  }
})

it('finds nothing when the database no longer exists', async () => {
  const source = hermesSource(tempHome())
  const gone = { id: 's1', fingerprint: '', place: '/nowhere/state.db#s1' }
  expect(await source.find?.(gone, ['1'])).toEqual([])
})
