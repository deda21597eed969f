import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportSession } from './export.ts'
import { list } from './list.ts'
import { search } from './search.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'
import { show } from './show.ts'
import { stats } from './stats.ts'

const readText = (file: string): Promise<string> => readFile(file, 'utf8')

it('marks a session of which only the prompts are left wherever it is listed, found, shown or exported', async () => {
  const { context, text, document } = homeWith({ whole: [asked('Paint the door'), reply('m', 'opus')] })
  const home = String(context.env.HOME)
  const prompt = { timestamp: Date.UTC(2026, 5, 1, 9), project: '/home/dev/atlas', pastedContents: {} }
  for (const display of ['Find the leaking valve', 'Now close it'])
    appendFileSync(
      join(home, '.claude', 'history.jsonl'),
      `${JSON.stringify({ ...prompt, display, sessionId: 'lost-session' })}\n`,
    )
  await list(context, { limit: 10 })
  expect(document()).toMatchObject([{ id: 'whole' }, { id: 'lost-session', prompts_only: true }])
  expect(text()).toMatch(/lost-ses +atlas +Find the leaking valve +prompts only +2 messages +–$/m)
  expect(text().match(/prompts only/g)).toHaveLength(1)

  await search(context, ['leaking'], { limit: 10 })
  expect(document()).toMatchObject([{ session_id: 'lost-session', prompts_only: true }])
  expect(text()).toMatch(/Find the leaking valve {2}message 0 {2}user {2}prompts only$/m)

  await show(context, 'lost', {})
  expect(text()).toContain('claude-code deleted the rest before Panoptes read this session')
  expect(text()).toMatch(/cost +–/)
  expect(text()).toContain('Now close it')
  expect(text()).not.toContain('$0')

  for (const name of ['lost.md', 'lost.html']) {
    await exportSession(context, 'lost', join(home, name), {})
    await expect(readText(join(home, name))).resolves.toMatch(/Prompts only/)
  }
  await exportSession(context, 'lost', join(home, 'lost.jsonl'), {})
  expect(await readText(join(home, 'lost.jsonl'))).toContain('"prompts_only":true')

  await stats(context, { by: 'source' })
  expect(document()).toMatchObject([{ name: 'claude-code', sessions: 1 }])
})
