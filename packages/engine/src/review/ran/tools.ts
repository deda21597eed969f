import { hermesName } from '@panoptes/engine/sources/tool-names'

/** What a call does, as far as claims and flags ask. */
export type Deed = 'run' | 'write' | 'edit' | 'spawn' | 'other'

const DEEDS: ReadonlyMap<string, Deed> = new Map<string, Deed>([
  ['terminal', 'run'],
  ['execute_terminal', 'run'],
  ['write_file', 'write'],
  ['create_file', 'write'],
  ['patch', 'edit'],
  ['edit_file', 'edit'],
  ['delegate_task', 'spawn'],
])

export const deedOf = (tool: string): Deed => DEEDS.get(hermesName(withoutServer(tool))) ?? 'other'

/** Tools of a server are called `mcp__server__tool`. */
function withoutServer(tool: string): string {
  if (!tool.startsWith('mcp__')) return tool
  const at = tool.indexOf('__', 'mcp__'.length)
  return at < 0 ? tool : tool.slice(at + 2)
}

const SAME_TOOL = /[^a-z0-9]/g

/** A tool's name as people and models write it: `bash`, `Bash`, `BASH`. */
export const spoken = (tool: string): string => tool.toLowerCase().replace(SAME_TOOL, '')
