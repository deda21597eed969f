import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHome, ROOT, type TestHome } from './command.ts'
import { hostileRows } from './hostile-transcript.ts'
import { longRows } from './long-transcript.ts'

const projectsOf = (home: TestHome): string => join(home.folder, '.claude', 'projects')

/** A home with recorded sessions, one that means harm and one of 3,000 messages. */
export async function homeWithTranscripts(): Promise<TestHome> {
  const home = await makeHome()
  const projects = projectsOf(home)
  await mkdir(join(home.folder, '.claude'), { recursive: true })
  await cp(join(ROOT, 'fixtures', 'claude-code', 'transcripts'), projects, { recursive: true })
  await mkdir(join(projects, '-home-dev-hostile'))
  await writeFile(join(projects, '-home-dev-hostile', 'hostile.jsonl'), hostileRows())
  await mkdir(join(projects, '-home-dev-long'))
  await writeFile(join(projects, '-home-dev-long', 'long.jsonl'), longRows(3_000, Date.now() - 3_000_000))
  return home
}

/** What a person says, at the end of a transcript. */
export function sayIn(home: TestHome, file: string, content: string): Promise<void> {
  const row = { type: 'user', uuid: content, timestamp: new Date().toISOString() }
  const line = JSON.stringify({ ...row, message: { role: 'user', content } })
  return appendFile(join(projectsOf(home), '-home-dev-notes', file), `${line}\n`)
}
