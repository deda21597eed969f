import { type Fields, isPlainObject } from '@panoptes/schema/plain-object'
import { classifyTool } from './tools.ts'

/** A file change that a call requested: a whole file, or one text replaced by another. */
export interface Edit {
  readonly path: string
  /** The replaced text; undefined if the file is written as a whole or deleted. */
  readonly before: string | undefined
  readonly after: string
  /** Replaces all occurrences. */
  readonly everywhere?: boolean
}

/** The maximum number of edits examined per call. */
const MOST = 2_000

/** Returns what a call writes into files, according to its input. */
export function parseEdits(tool: string, input: unknown): readonly Edit[] {
  const deed = classifyTool(tool)
  if (deed !== 'write' && deed !== 'edit') return []
  if (typeof input === 'string') return parsePatch(input)
  const fields = isPlainObject(input) ? input : {}
  const patch = firstText(fields, 'patch', 'patch_text', 'patchText', 'input')
  const path = firstText(fields, 'file_path', 'filePath', 'path', 'notebook_path') ?? ''
  if (deed === 'write') return whole(path, firstText(fields, 'content', 'contents', 'file_text', 'text'))
  const list = Array.isArray(fields.edits) ? fields.edits.slice(0, MOST).filter(isPlainObject) : []
  const edits = list.length > 0 ? list : [fields]
  const made = edits.flatMap((edit) =>
    parseReplacement(firstText(edit, 'file_path', 'filePath', 'path') ?? path, edit),
  )
  return made.length === 0 && patch !== undefined ? parsePatch(patch) : made
}

function parseReplacement(path: string, edit: Fields): readonly Edit[] {
  const after = firstText(edit, 'new_string', 'newString', 'new_str', 'new_text', 'new_source')
  const before = firstText(edit, 'old_string', 'oldString', 'old_str', 'old_text')
  if (after === undefined) return []
  return [
    { path, before: before ?? '', after, everywhere: edit.replace_all === true || edit.replaceAll === true },
  ]
}

const whole = (path: string, after: string | undefined): readonly Edit[] =>
  after === undefined ? [] : [{ path, before: undefined, after }]

/**
 * Parses a patch in Codex format (`*** Update File: x`) or a diff (`+++ b/x`); each run of changed
 * lines is an edit.
 */
function parsePatch(patch: string): readonly Edit[] {
  const made: Edit[] = []
  let path = ''
  let adds = false
  let before: string[] = []
  let after: string[] = []
  const end = (): void => {
    if (before.length + after.length > 0 && made.length < MOST)
      made.push({ path, before: adds ? undefined : before.join('\n'), after: after.join('\n') })
    before = []
    after = []
  }
  for (const line of iterateLines(patch)) {
    const named = /^(?:\*\*\* (Add|Update|Delete) File: |\+\+\+ (?:b\/)?)([^\t\n]{1,4096})/.exec(line)
    if (named !== null) {
      end()
      adds = named[1] === 'Add'
      path = (named[2] ?? '').trim()
      if (named[1] === 'Delete') made.push({ path, before: undefined, after: '' })
    } else if (/^(?:--- |\*\*\* |@@|diff --git )/.test(line)) end()
    else if (line.startsWith('+')) after.push(line.slice(1))
    else if (line.startsWith('-')) before.push(line.slice(1))
    else if (!adds && before.length + after.length > 0) end()
  }
  end()
  return made
}

export function* iterateLines(text: string): Generator<string> {
  let at = 0
  while (at <= text.length) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    yield text.slice(at, text[end - 1] === '\r' ? end - 1 : end)
    at = end + 1
  }
}

function firstText(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string') return value
  }
  return undefined
}
