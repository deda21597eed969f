import { saying } from '@panoptes/engine/testing/chat'
import { formatSafeJson, markdownLine } from '@panoptes/schema/shown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChatServer, startChatServer } from './chat-server.test-kit.ts'

let served: ChatServer
beforeAll(async () => {
  served = await startChatServer()
})
afterAll(() => served.stop())

/** Titles, and the file names that they lead to. */
const HOSTILE: [title: string, name: string, whole: string | null][] = [
  ['a"; filename="evil.html', 'a-filename-evil-html', null],
  ['x\r\nx-hostile: a=b', 'x-x-hostile-a-b', null],
  ['../../etc/passwd', 'etc-passwd', null],
  ['名前 \u202etxt.exe', 'txt-exe', '%E5%90%8D%E5%89%8D-txt-exe'],
  ['<script>alert(1)</script>', 'script-alert-1-script', null],
]

describe('an exported conversation', () => {
  it('is Markdown with author and time of each message, and marks answers that were cut short', async () => {
    const path = await served.begin('Two\nlines')
    served.script(saying('# Fine\n\n```js\n1\n```'))
    await served.say(path, 'How is it?', { files: [{ name: 'a.txt', text: 'abc' }] })
    served.script(async function* () {
      yield { type: 'chunk', delta: 'half' }
      yield { type: 'failed', code: 'died', message: 'The answer was cut off.', retryable: true }
    })
    await served.say(path, 'And now?')
    const answer = await served.request(`${path}/export`)
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const text = (await answer.text()).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    expect(text).toBe(
      [
        '# Two lines',
        '## You · TIME',
        'How is it?',
        '- file: a\\.txt (3 bytes)',
        '## Jarvis · TIME',
        '# Fine\n\n```js\n1\n```',
        '## You · TIME',
        'And now?',
        '## Jarvis · TIME · partial',
        'half',
        '> The answer was cut off.\n',
      ].join('\n\n'),
    )
  })

  it('is JSON with every message, and without the internal state of runtimes', async () => {
    const path = await served.begin()
    served.script(saying('yes'))
    await served.say(path, 'no?')
    const answer = await served.request(`${path}/export?format=json`)
    expect(answer.headers.get('content-type')).toBe('application/json')
    const told = (await answer.json()) as Record<string, unknown>
    expect(told.messages).toEqual((await served.read(path)).messages)
    expect(Object.keys(told)).not.toContain('agent_state')
    expect((await served.request(`${path}/export?format=pdf`)).status).toBe(400)
  })

  it('is named after its id if its title has no letters', async () => {
    const path = await served.begin('…')
    const answer = await served.request(`${path}/export`)
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="${path.split('/').at(-1)}.md"`,
    )
  })

  it.each(HOSTILE)('gets a safe file name from the title %j', async (title, name, whole) => {
    const path = await served.begin(title)
    for (const [format, ending] of [
      ['markdown', 'md'],
      ['json', 'json'],
    ]) {
      const answer = await served.request(`${path}/export?format=${format}`)
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="${name}.${ending}"${whole === null ? '' : `; filename*=UTF-8''${whole}.${ending}`}`,
      )
      expect(answer.headers.get('x-hostile')).toBeNull()
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'")
      expect(await answer.text()).toContain(
        format === 'json' ? formatSafeJson(title) : `# ${markdownLine(title, 500)}`,
      )
    }
  })
})
