import { ANY } from './names.ts'

/** Sums are kept of everything, of each source, of each project, and of each project in each source. */
export const scopesOf = (source: number, project: number): readonly (readonly [number, number])[] => [
  [ANY, ANY],
  [source, ANY],
  [ANY, project],
  [source, project],
]
