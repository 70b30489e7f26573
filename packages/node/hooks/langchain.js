'use strict';

const { convertToOpenAITool } = require('@langchain/core/utils/function_calling');
const { HumanMessage, createMiddleware, tool } = require('langchain');

const { made } = require('./langchain-made.js');

module.exports = { enfoldMiddleware: made({ createMiddleware, HumanMessage, tool, convertToOpenAITool }) };
