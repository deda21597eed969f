import { expect, it } from 'vitest'
import { list } from './list.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'
import { show } from './show.ts'

it('prints the names in a transcript as text, whatever is in them', async () => {
  const evil = (name: string) => `${name}\u001b[2J\u001b]0;owned\u0007\u0000\u009b31m\u202e!`
  const picture = { type: 'image', source: { type: 'base64', media_type: evil('image/png'), data: '' } }
  const call = { type: 'tool_use', id: 't1', name: evil('Agent'), input: { description: evil('survey') } }
  const result = { type: 'tool_result', tool_use_id: 't1', content: evil('done') }
  const { context, text } = homeWith({
    'odd\u001b[31m-id': [
      { ...asked([{ type: 'text', text: evil('look') }, picture]), cwd: evil('/work') },
      reply('m1', evil('model'), {}, [call]),
      { ...reply('m2', evil('model')), isSidechain: true, agentId: evil('aide') },
      asked([result]),
    ],
  })
  await list(context, { limit: 5 })
  const listed = text()
  await show(context, 'odd', { full: true })
  for (const name of ['odd', 'model', '/work', 'Agent', 'survey', 'aide', 'image/png', 'look', 'done'])
    expect(text(), name).toContain(name)
  for (const printed of [listed, text()]) expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})
