import * as f from '../format.ts'

export const plural = (value: number, one: string, many: string): string =>
  `${f.count(value)} ${value === 1 ? one : many}`
