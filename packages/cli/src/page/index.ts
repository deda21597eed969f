export { type PreparedPage, preparePage } from './prepare.ts'
