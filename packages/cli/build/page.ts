/** For setups of tests, which build the page before they start. */
export { preparePage } from '../src/page/index.ts'
