import type { BrokenTemplate, TemplatesReply } from '@panoptes/schema'

interface Folder {
  readonly path: string
  readonly isOurs: boolean
  readonly files: readonly { readonly name: string; readonly reason: string }[]
}

/** Groups files that are not valid templates by folder and keeps their order. */
export function groupByFolder(
  broken: readonly BrokenTemplate[],
  { folder: ours }: Pick<TemplatesReply, 'folder'>,
): readonly Folder[] {
  const groups = Map.groupBy(broken, ({ file }) => split(file).folder)
  return [...groups].map(([path, files]) => ({
    path,
    isOurs: path === ours,
    files: files.map(({ file, reason }) => ({ name: split(file).name, reason })),
  }))
}

function split(file: string): { readonly folder: string; readonly name: string } {
  const at = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'))
  return { folder: file.slice(0, Math.max(at, 0)), name: file.slice(at + 1) }
}
