import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportSession } from './export.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'

it('exports a session in the format of the file name or --format, and overwrites a file only with --force', async () => {
  const { context, text, document } = homeWith({
    one: [asked('rename it'), reply('m1', 'claude-opus-4-8')],
    two: [asked('another')],
  })
  const folder = String(context.env.HOME)
  const write = async (name: string, options: { format?: string; force?: boolean } = {}) => {
    await exportSession(context, 'one', join(folder, name), options)
    return readFileSync(join(folder, name), 'utf8')
  }
  expect(await write('one.html')).toMatch(/<html/)
  expect(document()).toMatchObject({ ok: true, format: 'html', id: 'one', source: 'claude-code' })
  expect(text()).toContain(`one in ${join(folder, 'one.html')}`)
  expect(await write('one.MD')).toMatch(/^#/)
  expect(document()).toMatchObject({ format: 'markdown' })
  expect(await write('one.txt', { format: 'md' })).toMatch(/^#/)
  const lines = (await write('one')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).not.toHaveLength(0)
  expect(lines.join()).toContain('rename it')
  expect(lines.join()).not.toContain('another')
  writeFileSync(join(folder, 'kept.md'), 'mine')
  await expect(write('kept.md')).rejects.toMatchObject({ code: 'exists' })
  expect(readFileSync(join(folder, 'kept.md'), 'utf8')).toBe('mine')
  expect(await write('kept.md', { force: true })).toMatch(/^#/)
  await expect(write('x', { format: 'pdf' })).rejects.toThrow('Unknown format: pdf')
  const output = { ...context.output, json: true }
  await expect(exportSession({ ...context, output }, 'one', '-', {})).rejects.toMatchObject({ code: 'usage' })
})
