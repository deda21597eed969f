import { hermesName } from '@panoptes/engine/sources/tool-names'

/** The kind of action of a call, as far as claims and flags need it. */
export type ToolAction = 'run' | 'process' | 'write' | 'edit' | 'read' | 'spawn' | 'other'

const TOOL_ACTIONS: ReadonlyMap<string, ToolAction> = new Map<string, ToolAction>([
  ['terminal', 'run'],
  ['execute_terminal', 'run'],
  ['process', 'process'],
  ['write_file', 'write'],
  ['create_file', 'write'],
  ['patch', 'edit'],
  ['edit_file', 'edit'],
  ['read_file', 'read'],
  ['search_files', 'read'],
  ['delegate_task', 'spawn'],
])

export const classifyTool = (tool: string): ToolAction =>
  TOOL_ACTIONS.get(hermesName(withoutServer(tool))) ?? 'other'

/** MCP tools are called `mcp__server__tool`. */
function withoutServer(tool: string): string {
  if (!tool.startsWith('mcp__')) return tool
  const at = tool.indexOf('__', 'mcp__'.length)
  return at < 0 ? tool : tool.slice(at + 2)
}

const SAME_TOOL = /[^a-z0-9]/g

/** Normalizes a tool name as people and models write it: `bash`, `Bash`, `BASH`. */
export const normalizeToolName = (tool: string): string => tool.toLowerCase().replace(SAME_TOOL, '')
