export type { OwnData } from './data.ts'
export { ownTools } from './own-tools.ts'
export type { OwnTool, OwnToolContext } from './port.ts'
export { asToolData, cutResult } from './tool-data.ts'
