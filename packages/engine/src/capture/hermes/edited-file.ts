const EDITS: ReadonlySet<string> = new Set(['write_file', 'patch', 'edit_file'])
const LONGEST_PATH = 1_024

/** Returns the file that a call changes, if it changes one. */
export function editedFile(
  tool: string | null | undefined,
  input: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const file = EDITS.has(tool ?? '') ? (input?.path ?? input?.file_path) : undefined
  return typeof file === 'string' && file.length <= LONGEST_PATH ? file : undefined
}
