import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeContext } from '../context.ts'
import { checkConfig } from './config.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'panoptes-config-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const checked = async (text: string): Promise<string> => {
  await writeFile(join(home, 'config.yaml'), text)
  const context = makeContext([], { HOME: home, PANOPTES_HOME: home })
  const output = { ...context.output, answer: () => undefined }
  return checkConfig({ ...context, output }).then(
    () => 'no errors',
    (error: Error) => error.message.replaceAll(`${home}/`, ''),
  )
}

describe('the check of config.yaml', () => {
  it('reports an unknown provider or preset of Jarvis with its line', async () => {
    expect(await checked('runtimes:\n  jarvis: { provider: nope, model: m }\n')).toMatch(
      /^config\.yaml:2:1: runtimes\.jarvis\.provider refers to nope, which is not a provider; available: .*ollama/,
    )
    expect(await checked('runtimes:\n  jarvis: { preset: nope }\n')).toBe(
      'config.yaml:2:1: runtimes.jarvis.preset refers to nope, which is not in moa.presets',
    )
    expect(await checked('runtimes:\n  jarvis: { provider: ollama, model: m }\n')).toBe('no errors')
  })
  it('reports missing folders of notes with their line', async () => {
    expect(await checked('log:\n  level: info\nchat:\n  knowledge: [~/gone, "~"]\n')).toBe(
      'config.yaml:4:1: chat.knowledge refers to gone, which does not exist',
    )
  })
})
